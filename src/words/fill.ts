/** Puts values in for `{{placeholders}}`. A placeholder without a value stays, to be filled where its value is known. */
export function fillWords(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
