# Part of `npm run check`: whether the generated files are those that `npm run generate` makes now.
fresh=node_modules/.cache/generated
rm -rf "$fresh"
buf generate --output "$fresh" && node scripts/node.cjs scripts/generate.ts "$fresh" || exit 1
diff -rq src/gen "$fresh/src/gen" && diff -q docs/settings.md "$fresh/docs/settings.md" &&
  diff -q docs/specification.md "$fresh/docs/specification.md" || {
  echo 'Stale: run npm run generate, and delete what is only in src/gen.'
  exit 1
}
