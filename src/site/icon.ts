import type { Document } from './document.ts'

const iconPath = '/favicon.svg'

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" role="img" aria-label="A house with a spark">
<rect width="32" height="32" rx="8" fill="#0b6e5f"/>
<path d="M6.5 15.2 16 7l9.5 8.2" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>
<path d="M9.2 14.6V24h13.6v-9.4" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round" stroke-linejoin="round"/>
<path d="M16 13.6c.5 2.9 1.3 3.7 4.2 4.2-2.9.5-3.7 1.3-4.2 4.2-.5-2.9-1.3-3.7-4.2-4.2 2.9-.5 3.7-1.3 4.2-4.2Z" fill="#ffd166"/>
</svg>
`

/** The site's icon, also at the path that browsers request by default. */
export function createIcons(): Document[] {
  return [iconPath, '/favicon.ico'].map((path) => ({
    path,
    contentType: 'image/svg+xml',
    isBrief: true,
    render: () => icon,
    readableAnywhere: false,
  }))
}
