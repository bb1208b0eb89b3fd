/** A text that evidence refers to by hash. Texts are added and never removed. */
export interface Wording {
  /** SHA-256 of the text, as 64 hexadecimal digits. */
  sha256: string
  text: string
}
