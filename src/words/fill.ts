/** Fills in `{{placeholders}}`. One without a value stays, for a caller that knows it. */
export function fillWords(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
