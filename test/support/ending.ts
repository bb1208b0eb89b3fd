// Loaded before every test file by `npm test`. A file that leaves a connection, timer or child process open would never
// end, and neither would the run, because `--test-timeout` only limits tests. This makes such a file fail and lists
// what is open.
import { after } from 'node:test'
import { isMainThread } from 'node:worker_threads'

/** How long a file may take to end after its last test, in milliseconds. */
const graceMs = 15_000

if (process.env.NODE_TEST_CONTEXT && isMainThread)
  after(() => {
    setTimeout(() => {
      console.error(`*** ${process.argv[1]} does not end: ${process.getActiveResourcesInfo().join(', ')} ***`)
      process.exit(1)
    }, graceMs).unref()
  })
