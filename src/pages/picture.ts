import { Html } from './html.ts'

const picture = (name: string, paths: string) =>
  new Html(`<svg class="${name}" viewBox="0 0 24 24" aria-hidden="true">${paths}</svg>`)

/** Small pictures of the pages, drawn as lines in the colour of the text. They have no meaning of their own. */
export const PICTURES = {
  globe: picture(
    'icon',
    '<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c5 5 5 13 0 18M12 3c-5 5-5 13 0 18"/>',
  ),
  /** The line through it is shown while the button is not pressed. */
  eye: picture(
    'icon',
    '<path d="M2.5 12c4-7.5 15-7.5 19 0-4 7.5-15 7.5-19 0z"/><circle cx="12" cy="12" r="3"/><path class="slash" d="M4 20 20 4"/>',
  ),
  bell: picture('icon', '<path d="M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15zM10 20.5h4"/>'),
  check: picture('icon', '<path d="m6 12.5 4 4 8-9"/>'),
} as const
