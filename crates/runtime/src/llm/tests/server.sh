# Minimal MCP server with one tool, which always returns 42.
case "$1" in
    flood) yes '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}' ;;
    ends) exit 3 ;;
esac
while read -r line; do
    id=$(printf '%s' "$line" | sed -n 's/.*"id":\([0-9]*\).*/\1/p')
    [ "$1" = junk ] && echo 'Warning: this is no JSON' && echo '{"neither": "is this"}'
    case "$line" in
        *'"initialize"'*)
            result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}' ;;
        *'"tools/list"'*) result='{"tools":[{"name":"add","inputSchema":{"type":"object"}}]}' ;;
        *'"tools/call"'*) result='{"content":[{"type":"text","text":"42"}]}' ;;
        *) continue ;;
    esac
    echo "{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$result}"
done
