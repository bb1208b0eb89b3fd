# During `npm version`: the manifests name the new version.
set -e
perl -pi -e 's/((newTag|kubernetes.io.version): ).*/$1$ENV{npm_package_version}/' k8s/base/kustomization.yaml
perl -pi -e '$v = $ENV{npm_package_version} =~ tr/./-/r; s/(nameSuffix: ).*/$1-$v/' k8s/base/migration/kustomization.yaml
git add k8s
