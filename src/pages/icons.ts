import { Html, html } from './html.ts'

/** Small pictures, drawn as lines in 24 × 24. They stand beside a word, and have no meaning of their own. */
const PATHS = {
  home: '<path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z"/>',
  people:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.5-4 3-6 6.5-6s6 2 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5c2 .8 3.2 2.7 3.5 5.5"/>',
  mail: '<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m3.5 7 8.5 6 8.5-6"/>',
  groups:
    '<circle cx="12" cy="6.5" r="2.5"/><circle cx="6" cy="16.5" r="2.5"/><circle cx="18" cy="16.5" r="2.5"/><path d="M12 9v3m0 0-4 3m4-3 4 3"/>',
  screen: '<rect x="3" y="4" width="18" height="12" rx="2"/><path d="M8 20h8M12 16v4"/>',
  applications:
    '<rect x="4" y="4" width="6.5" height="6.5" rx="1.5"/><rect x="13.5" y="4" width="6.5" height="6.5" rx="1.5"/><rect x="4" y="13.5" width="6.5" height="6.5" rx="1.5"/><rect x="13.5" y="13.5" width="6.5" height="6.5" rx="1.5"/>',
  braces:
    '<path d="M9 4c-2.5 0-3 1-3 3v2c0 2-1 3-2.5 3C5 12 6 13 6 15v2c0 2 .5 3 3 3M15 4c2.5 0 3 1 3 3v2c0 2 1 3 2.5 3-1.5 0-2.5 1-2.5 3v2c0 2-.5 3-3 3"/>',
  link: '<path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7L12 7M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7L12 17"/>',
  shield: '<path d="M12 3 5 6v5c0 4.5 2.8 8 7 10 4.2-2 7-5.5 7-10V6z"/><path d="m9 12 2 2 4-4"/>',
  question:
    '<circle cx="12" cy="12" r="9"/><path d="M9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17h0"/>',
  branches: '<path d="M4 12h5l6-6h5m-3-3 3 3-3 3M11 14l4 4h5m-3-3 3 3-3 3"/>',
  list: '<path d="M8 6h12M8 12h12M8 18h12M4 6h0M4 12h0M4 18h0"/>',
  servers:
    '<rect x="4" y="4" width="16" height="7" rx="2"/><rect x="4" y="13" width="16" height="7" rx="2"/><path d="M8 7.5h0M8 16.5h0"/>',
  sliders:
    '<path d="M4 7h9M19 7h1M4 17h1M11 17h9"/><circle cx="16" cy="7" r="2.5"/><circle cx="8" cy="17" r="2.5"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  sign_out: '<path d="M14 4H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h8M10 12h10m-4-4 4 4-4 4"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4 4"/>',
  pencil: '<path d="m4 20 1-4L16 5l3 3L8 19z"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  key: '<circle cx="8" cy="15" r="4"/><path d="m11 12 8-8M16 7l3 3"/>',
  passkey:
    '<circle cx="9.5" cy="7.5" r="3.5"/><path d="M3 20v-1a5 5 0 0 1 5-5h3"/><circle cx="17" cy="13" r="2.75"/><path d="M17 15.75V21m0-2.5h2.25"/>',
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  phone: '<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>',
  codes:
    '<rect x="4" y="4" width="16" height="16" rx="2"/><path d="M8 9h3M8 12h3M8 15h3M14 9h2M14 12h2M14 15h2"/>',
  browser: '<rect x="3" y="4" width="18" height="16" rx="2"/><path d="M3 9h18M6.5 6.5h0"/>',
  file: '<path d="M6 3h8l4 4v14H6zM14 3v4h4M9 13h6M9 17h6"/>',
  check: '<path d="m6 12.5 4 4 8-9"/>',
  cross: '<path d="m7 7 10 10M17 7 7 17"/>',
  warning: '<path d="M12 4 2.8 19.5h18.4zM12 10v4M12 17h0"/>',
  stop: '<circle cx="12" cy="12" r="9"/><path d="m8.5 8.5 7 7M15.5 8.5l-7 7"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>',
  arrow: '<path d="M5 12h13m-5-5 5 5-5 5"/>',
  undo: '<path d="M9 7H14a5 5 0 0 1 0 10H7M9 7l3-3M9 7l3 3"/>',
  copy: '<rect x="8" y="8" width="12" height="12" rx="2"/><path d="M16 8V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h2"/>',
  code: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5M14 5l-4 14"/>',
  chip: '<rect x="6" y="6" width="12" height="12" rx="2"/><path d="M9.5 9.5h5v5h-5zM9 6V3M15 6V3M9 21v-3M15 21v-3M6 9H3M6 15H3M21 9h-3M21 15h-3"/>',
  television: '<rect x="3" y="6" width="18" height="12" rx="2"/><path d="M8 21h8M9 3l3 3 3-3"/>',
  rays: '<path d="M12 3v4M12 17v4M3 12h4M17 12h4M6 6l2.5 2.5M15.5 15.5 18 18M18 6l-2.5 2.5M8.5 15.5 6 18"/>',
} as const

export type IconName = keyof typeof PATHS

/** Those that point along the line of reading: they are mirrored from right to left. */
const TURNS: ReadonlySet<IconName> = new Set<IconName>(['sign_out', 'arrow'])

/** A small picture beside a word. @param look a class that colours it, such as `bad` or `warn` */
export const icon = (name: IconName, look?: 'bad' | 'warn'): Html => {
  const classes = ['icon', ...(TURNS.has(name) ? ['turns'] : []), ...(look ? [look] : [])].join(' ')
  return html`<svg class="${classes}" viewBox="0 0 24 24" aria-hidden="true">${new Html(PATHS[name])}</svg>`
}
