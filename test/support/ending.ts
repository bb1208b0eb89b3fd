// Loaded before every test file by `npm test`. A file that leaves a connection, a timer or a child process behind would
// never end, and neither would the run: `--test-timeout` bounds tests, not files. Such a file fails and says what is open.
import { after } from 'node:test'

/** How long after its last test a file may take to end by itself. */
const graceMs = 15_000

if (process.env.NODE_TEST_CONTEXT)
  after(() => {
    setTimeout(() => {
      console.error(`*** ${process.argv[1]} does not end: ${process.getActiveResourcesInfo().join(', ')} ***`)
      process.exit(1)
    }, graceMs).unref()
  })
