// `npm start`: the service for local use. Plain JavaScript without newer syntax, so that a Node that is too old can still say so.
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
import('./src/local.ts').then((local) => local.startLocally())
