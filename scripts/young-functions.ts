import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'

interface Edit {
  /** Must be in the file exactly once. */
  from: string
  to: string
}

/** The files of packages that do it for every command or call. */
const edits: { file: RegExp; edits: readonly Edit[] }[] = [
  {
    file: /[\\/]ioredis[\\/]built[\\/]Command\.js$/,
    edits: [
      { from: 'this.reject = (err) => {\n', to: 'this.reject = function (err) {\n' },
      {
        from: '                    reject(err);\n                }\n            };',
        to: '                    reject(err);\n                }\n            }.bind(this);',
      },
    ],
  },
  {
    file: /[\\/]ioredis[\\/]built[\\/]Script\.js$/,
    edits: [
      { from: 'this.reject = (err) => {\n', to: 'this.reject = function (err) {\n' },
      {
        from: '                    origReject.call(this, err);\n                };',
        to: '                    origReject.call(this, err);\n                }.bind(this);',
      },
    ],
  },
  {
    file: /[\\/]ioredis[\\/]built[\\/]Pipeline\.js$/,
    edits: [
      {
        from: 'Object.defineProperty(this, "length", {\n            get: function () {\n                return _this._queue.length;',
        to: 'if (!("length" in Pipeline.prototype)) Object.defineProperty(Pipeline.prototype, "length", {\n            get: function () {\n                return this._queue.length;',
      },
    ],
  },
]

/**
 * Keeps short-lived objects of packages in the young generation of the heap. V8 expects a function literal that is
 * assigned to a member (`command.reject = (error) => …`) to live long, and allocates it in the old generation. Whatever
 * such a function can reach then survives until the next full collection, long after its request has been answered:
 * each collection of the young generation copied a tenth of it, which took 5 ms in place of 0.5 ms. A function that is
 * bound, or passed on as a value, is young. An accessor defined on each object has the same effect, through a hidden
 * class for each object.
 */
export const youngFunctions: Plugin = {
  name: 'young-functions',
  setup(bundle) {
    for (const { file, edits: wanted } of edits) {
      bundle.onLoad({ filter: file }, ({ path }) => {
        let contents = readFileSync(path, 'utf8')
        for (const { from, to } of wanted) {
          if (contents.split(from).length !== 2)
            throw new Error(`${path} has changed; adapt scripts/young-functions.ts`)
          contents = contents.replace(from, () => to)
        }
        return { contents }
      })
    }
  },
}
