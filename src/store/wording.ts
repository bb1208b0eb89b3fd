/** A text that evidence names by its hash. Texts are only ever added. */
export interface Wording {
  /** SHA-256 of the text, 64 hexadecimal digits. */
  sha256: string
  text: string
}
