# `npm run check`: every check, even after one has failed.
failed=
check() {
  echo "> $1: $2"
  sh -c "$2" || failed="$failed $1"
}
check code 'biome ci --error-on-warnings --colors=off .'
check types 'tsc && tsc -p src/site/form'
check proto 'buf lint && buf format --diff --exit-code proto && sh scripts/check-breaking.sh'
check complete 'node scripts/node.cjs scripts/check-complete.ts'
check generated 'sh scripts/check-generated.sh'
if [ -n "$failed" ]; then
  echo "Failed:$failed"
  exit 1
fi
echo 'All 5 checks passed.'
