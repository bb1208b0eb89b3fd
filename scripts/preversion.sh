# Before `npm version`: the changelog has the new version, and the proto files have no breaking change.
set -e
grep -q "^## \[$npm_new_version\] - 20" CHANGELOG.md || {
  echo "CHANGELOG.md: no section ## [$npm_new_version] - DATE"
  exit 1
}
sh scripts/check-breaking.sh
# What a blind customer hears of the form, and of its receipt. Prints it.
npm test -- test/drills/browsers.test.ts
