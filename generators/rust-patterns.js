// What Rust's regular expressions (as WebAssembly) say of texts: `{ patterns, texts }` comes in, a row of verdicts for
// each pattern goes out.
import { json } from 'node:stream/consumers'
import { RRegex } from 'rregex'

const { patterns, texts } = await json(process.stdin)
const verdicts = patterns.map((pattern) => {
  const compiled = new RRegex(pattern)
  return texts.map((text) => compiled.isMatch(text))
})
console.log(JSON.stringify(verdicts))
