"""Where bytes are put: the one writer, blobs and images, the history of prompts."""
