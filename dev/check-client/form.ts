/** A form as it is submitted. */
export interface Form {
  readonly action: string
  readonly method: 'GET' | 'POST'
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** Returns the forms of a page that are posted, with their hidden fields. */
export function formsIn(text: string, at: URL): Form[] {
  return [...text.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gis)].flatMap(([, head = '', inside = '']) => {
    if (attributeOf(head, 'method')?.toUpperCase() !== 'POST') return []
    const inputs = [...inside.matchAll(/<input\b([^>]*)>/gi)].map(([, attributes = '']) => attributes)
    const fields = inputs
      .filter((input) => attributeOf(input, 'type')?.toLowerCase() === 'hidden')
      .map((input) => [attributeOf(input, 'name') ?? '', attributeOf(input, 'value') ?? ''] as const)
    return [{ action: new URL(attributeOf(head, 'action') ?? '', at).href, method: 'POST' as const, fields }]
  })
}

function attributeOf(tag: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag)
  return found === null ? undefined : decode(found[1] ?? found[2] ?? found[3] ?? '')
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole
    return String.fromCodePoint(Number.parseInt(hex ?? decimal, hex === undefined ? 10 : 16))
  })
}
