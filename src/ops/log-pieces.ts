/** Enough lines that a piece is worth a system call. */
const pieceLength = 16_000

/** How long a line may wait for company, in milliseconds. */
const waitMaxMs = 1_000

/**
 * Collects log lines, and passes them on in pieces: when there is enough for one, and once a second. The destination
 * behind it copies all that it holds for each text it takes, so with single lines most of the log's CPU would go there.
 */
export function createLogPieces(destination: { write(text: string): unknown }) {
  let piece = ''

  function passOn(): void {
    if (piece === '') return
    const text = piece
    piece = ''
    destination.write(text)
  }

  setInterval(passOn, waitMaxMs).unref()
  return {
    write(line: string): void {
      piece += line
      if (piece.length >= pieceLength) passOn()
    },
    passOn,
  }
}
