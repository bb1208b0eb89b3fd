# Part of `npm run check`: whether the proto files still understand what the last release, or the baseline, wrote.
tag=$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
if [ -n "$tag" ]; then
  against="$(git rev-parse --git-common-dir)#subdir=proto,tag=$tag"
else
  against=proto/baseline.binpb.gz
fi
buf breaking proto --against "$against" || {
  echo 'If you mean it, and nothing was released: npx buf build proto --exclude-source-info -o proto/baseline.binpb.gz'
  exit 1
}
