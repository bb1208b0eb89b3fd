# `npm run check`: every check, also after one that failed.
failed=
for stage in code types proto complete generated; do
  npm run "check:$stage" || failed="$failed $stage"
done
if [ -n "$failed" ]; then
  echo "Failed:$failed"
  exit 1
fi
echo 'All 5 checks passed.'
