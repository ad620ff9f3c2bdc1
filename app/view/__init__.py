"""Rows, trees and transcripts as lines of styled text, and the models behind them, without a screen.

The public names load when they are first used.
"""

from __future__ import annotations

from app.lazy_names import lazy_names

lazy_names(
    __name__,
    {
        "arrangement": "Arrangement ORDERS SCOPES",
        "bars": (
            "cache_note header_line hidden_note keys_line list_keys preview_keys reading_note "
            "search_keys unread_note"
        ),
        "branch_table": "BranchTable branch_text",
        "clipboard": "block_title copy_warning file_suffix full_text main_text text_size",
        "document_line": "CodeBlock DocumentLine next_shift own_line",
        "empty_states": "nothing_matches nothing_shown spelling_note unknown_note",
        "entry_details": "facts_of",
        "entry_document": "ToolCall document",
        "fork_order": "count_dependents parents_of",
        "glyphs": "ASCII UNICODE",
        "history": "history_line words_of_action",
        "hit_line": "HitExcerpt HitPlace",
        "list_model": "ListModel",
        "markdown": "markdown_lines written_lines",
        "notifications": "done_text not_done_text progress_note settings_messages stopped_note",
        "palette": "DARK LIGHT STYLES THEMES contrast eight_bit few_colours ground_of rgb style_of",
        "places": "FOLDER_GONE PlaceModel lost_for_good place_line trash_row",
        "preset": "BROWSER SELECTOR",
        "problems": "damaged_problems problems_of",
        "prompts": "delete_question earlier_question new_question trash_question",
        "row_lines": "RowLines",
        "rules": "rule_line",
        "selection": "StableSelection",
        "session_details": "details_lines session_facts",
        "session_row": (
            "LEGEND MARKED ORPHAN PINNED POINTER TARGET agent_style render_heads render_list_line "
            "render_second_line"
        ),
        "statistics": "NO_COST columns_of group_line head_line total_lines",
        "status_line": "in_use_line resume_line shown_command with_right",
        "text_window": "find_words",
        "tool_input": "field_lines",
        "transcript_layout": "TranscriptLayout",
        "transcript_outline": "BranchStart Outline Places",
        "tree_filter": "TREE_FILTERS filter_nodes",
        "tree_row": "render_damaged_row render_tree_row",
        "tree_view": "TreeView",
        "welcome": "welcome_panel",
        "wide_glyphs": "place_wide_glyphs",
    },
)
