// Loaded first (`node -r`). Uses syntax that every Node version understands, so that an old one prints this message.
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
