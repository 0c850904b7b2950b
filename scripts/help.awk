# Prints the targets of a Makefile that carry a description, under the headings between them.
BEGIN { FS = ":.*## " }
/^##@ / { printf "%s%s\n", heading++ ? "\n" : "", substr($0, 5) }
/^[a-z][a-z-]*:.*## / { printf "  make %-14s %s\n", $1, $2 }
