# An operator's day: export, three changes, review, apply, and the questions of an auditor.
# "cli" is arango-services; the deployment is $URL and $GRPC, and "token" holds a token that may manage permissions.

run() {
  local status=0
  echo "\$ arango-services $*"
  cli "$@" --url "$URL" --token-file token --grpc "$GRPC" 2>&1 || status=$?
  echo "(exit code $status)"
  echo
}

echo "# The deployment as a file"
run permissions export permissions.yaml
echo "$(grep -c '^  - { user: ' permissions.yaml) bindings, with the scopes:"
sed -n '/^scopes:/,/^$/p' permissions.yaml
cp permissions.yaml before.yaml
echo

echo "# Three changes: a policy narrowed, a newcomer with two roles, and a leaver; the file owns everything"
sed -i 's/resources: \["payments:\*"\]/resources: ["payments:eu:*"]/' permissions.yaml
sed -i 's/^bindings:/&\n  - { user: grace, role: stock-viewer, scope: everywhere }\n  - { user: grace, role: payments-editor, scope: eu }/' permissions.yaml
sed -i '/{ user: user7, /d' permissions.yaml
cat >> permissions.yaml <<'END'
manage: { policies: ["*"], roles: ["*"], users: ["*"] }
END
run permissions plan | head -3

echo "# Review"
run permissions plan --prune --out plan.json
run permissions plan --prune --markdown

echo "# Apply, and look again"
run permissions apply plan.json --settle-ms 0 --concurrency 1
run permissions plan --prune

echo "# The auditor: who can refund payments in Europe?"
run permissions who payments:refund payments:eu:7
echo "# Who can do anything with keys?"
run permissions who 'keys:*' 'keys:*' --match any
echo "# May grace refund payments, and in the United States?"
run permissions explain grace payments:refund payments:eu:7
run permissions explain grace payments:refund payments:us:7 --exit-code
echo "# Is anything left to the leaver?"
run permissions grants user7
echo "# Agreed were reading and writing, refunds in Europe, and all to owners: does any user have more?"
cat > agreed.yaml <<'END'
- { action: "*:read", resource: "*" }
- { action: "*:list", resource: "*" }
- { action: "*:write", resource: "*" }
- { action: "*:refund", resource: "*:eu:*" }
- { action: "payments:*", resource: "*", roles: [payments-owner] }
END
run permissions excess --allow agreed.yaml
