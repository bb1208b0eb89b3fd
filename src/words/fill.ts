/** Fills in `{{placeholders}}`. One without a value stays, for a caller that knows it. */
export function fillWords(text: string, values: Readonly<Record<string, string | number>>): string {
  return Object.keys(values).reduce((filled, name) => filled.replaceAll(`{{${name}}}`, () => `${values[name]}`), text)
}
