export interface Growth {
  what: string
  few: number
  many: number
  ratio: { middle: number; low: number; high: number }
}
