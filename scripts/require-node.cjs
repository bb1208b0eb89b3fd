// Loaded before anything else (`node -r`). In syntax that every Node understands, so that one that is too old says so.
var required = 26
if (Number(process.versions.node.split('.')[0]) < required) {
  console.error(
    'This service needs Node ' +
      required +
      ', and this is ' +
      process.version +
      ': run `npm ci && npm start`, which brings the right one.',
  )
  process.exit(1)
}
