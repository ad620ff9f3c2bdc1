"""Bytes to entries: line reader, dialects, migrations, one-line text. Nothing here knows a screen.

The public names load when they are first used. Modules of leafmark import each name from its module, because
the first frame needs few of them.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "amounts": "finite finite_int",
        "dialects": "dialect_named",
        "dialects.base": "Dialect MetadataRecord",
        "errors": "Cancelled NotASession SessionError",
        "glued": "records_in",
        "header": "Fault Header find_header header_in read_header",
        "images": (
            "EmbeddedImage ImageError describe_image dimensions head_of image_of png_bytes rgb_pixels "
            "upright_size"
        ),
        "json_codec": "BadLine REMOVED decode edit_fields encode flatten",
        "migrate": "migrate_line",
        "model_names": "model_name",
        "partial_entry": ("ABSENT PartialEntry Raw decode_partial decode_partial_leniently partial_entry_of"),
        "price_table": "PRICES",
        "prices": "LIST_PRICES Price Spending",
        "search_text": "TextPiece text_pieces",
        "summary_fields": (
            "Answer ExtensionMessage Message Prompt SummaryFields SummaryMessage decode_lines "
            "summary_fields_of"
        ),
        "text": "inert is_invisible one_line replace_surrogates visible_line",
        "timestamps": "iso parse_time",
        "title_slot": "SLOT_SIZE fold_title is_slot read_slot slot_line",
        "tool_calls": "FileLists call_line files_of shortened_arguments",
        "touched_files": "Touch touches_of_call touches_of_result",
    },
)
