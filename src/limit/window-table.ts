import { randomBytes } from 'node:crypto'

/** A client's usage until its window ends. */
export interface ClientWindow {
  used: number
  /** When the window ends, in milliseconds on the caller's clock. */
  endsAtMs: number
}

/**
 * The maximum number of clients, about 6 MB. Beyond it the older half is forgotten, and those clients get new windows.
 * Only somebody with that many addresses can cause this, and has that many separate limits anyway.
 */
export const maxClients = 100_000

/**
 * Windows of clients by key, in bounded memory and without timers. Keeps two generations and drops the older one as a
 * whole, because single entries cannot be removed.
 */
export class WindowTable {
  readonly #windowMs: number
  #recent = new Generation()
  #older = new Generation()
  #nextGenerationAtMs = Number.NEGATIVE_INFINITY

  /** `windowMs` is the longest time from now that a window may end. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs
  }

  get size(): number {
    return this.#recent.size + this.#older.size
  }

  /** A copy of the client's window. Undefined once it has ended. */
  get(clientKey: string, nowMs: number): ClientWindow | undefined {
    const window = this.#recent.get(clientKey) ?? this.#older.get(clientKey)
    return window !== undefined && window.endsAtMs > nowMs ? window : undefined
  }

  /** Stores a client's window, replacing an earlier one. */
  set(clientKey: string, window: ClientWindow, nowMs: number): void {
    // A generation accepts entries for one window length. It is dropped after two, when all of its windows have ended.
    if (nowMs >= this.#nextGenerationAtMs || this.#recent.size >= maxClients / 2) {
      const emptied = this.#older
      emptied.clear()
      this.#older = this.#recent
      this.#recent = emptied
      this.#nextGenerationAtMs = nowMs + this.#windowMs
    }
    this.#recent.set(clientKey, window)
  }
}

/** Different in each process, so that nobody can prepare clients whose keys share a hash. */
const seeds = new Uint32Array(new Uint8Array(randomBytes(8)).buffer)

const placesMin = 256

/** A free place has the hash 0, 0. */
const isFree = (high: number, low: number) => high === 0 && low === 0

/**
 * A hash table in arrays of numbers, with open addressing and linear probing. A `Map` would take three times the memory,
 * and every new client's string and object would be work for the garbage collector. Knows a client by 64 bits of a
 * seeded hash (MurmurHash3's rounds, twice). Of 100,000 clients, two share them once in four billion tables.
 */
class Generation {
  size = 0
  #places = placesMin
  #high = new Uint32Array(this.#places)
  #low = new Uint32Array(this.#places)
  #used = new Float64Array(this.#places)
  #endsAtMs = new Float64Array(this.#places)

  get(key: string): ClientWindow | undefined {
    if (this.size === 0) return undefined
    const place = this.#find(hashOf(key, seeds[0] as number), hashOf(key, seeds[1] as number))
    if (isFree(this.#high[place] as number, this.#low[place] as number)) return undefined
    return { used: this.#used[place] as number, endsAtMs: this.#endsAtMs[place] as number }
  }

  set(key: string, { used, endsAtMs }: ClientWindow): void {
    if (this.size * 2 >= this.#places) this.#grow()
    this.#put(hashOf(key, seeds[0] as number), hashOf(key, seeds[1] as number), used, endsAtMs)
  }

  #put(high: number, low: number, used: number, endsAtMs: number): void {
    const place = this.#find(high, low)
    if (isFree(this.#high[place] as number, this.#low[place] as number)) {
      this.size++
      this.#high[place] = high
      this.#low[place] = low
    }
    this.#used[place] = used
    this.#endsAtMs[place] = endsAtMs
  }

  /** The place of a hash, or the free one where it belongs. Half of the places are always free. */
  #find(high: number, low: number): number {
    const mask = this.#places - 1
    let place = low & mask
    while (!isFree(this.#high[place] as number, this.#low[place] as number)) {
      if (this.#low[place] === low && this.#high[place] === high) break
      place = (place + 1) & mask
    }
    return place
  }

  /** Forgets all clients. Keeps the memory for as many, unless most of it was not needed. */
  clear(): void {
    if (this.size * 8 < this.#places) {
      this.#resize(placesMin)
    } else {
      this.#high.fill(0)
      this.#low.fill(0)
      this.size = 0
    }
  }

  #resize(places: number): void {
    this.size = 0
    this.#places = places
    this.#high = new Uint32Array(places)
    this.#low = new Uint32Array(places)
    this.#used = new Float64Array(places)
    this.#endsAtMs = new Float64Array(places)
  }

  #grow(): void {
    const [high, low, used, endsAtMs] = [this.#high, this.#low, this.#used, this.#endsAtMs]
    this.#resize(this.#places * 2)
    for (let place = 0; place < high.length; place++) {
      const hash = [high[place] as number, low[place] as number] as const
      if (!isFree(...hash)) this.#put(...hash, used[place] as number, endsAtMs[place] as number)
    }
  }
}

/** Holds the characters of a key, since V8 looks the methods of a string up anew for each character. */
const scratch = Buffer.alloc(64)

/** A hash of 32 bits: MurmurHash3 with a character as each block. Never 0. */
function hashOf(key: string, seed: number): number {
  const length = scratch.write(key)
  let hash = seed
  for (let at = 0; at < length; at++) {
    let block = Math.imul(scratch[at] as number, 0xcc9e2d51)
    block = Math.imul((block << 15) | (block >>> 17), 0x1b873593)
    hash ^= block
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0
  }
  hash ^= length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0 || 1
}
