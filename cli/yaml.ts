import type { Document } from 'yaml'
import { Refusal } from './errors.ts'

/** A YAML file that was read. */
export interface Yaml {
  readonly value: unknown
  /** Returns the line of a part of it, counted from 1. */
  lineOf(...path: (string | number)[]): number
}

/** Parses YAML, of which JSON is a part. @throws Refusal if it is not valid; the message does not quote the file */
export async function parseYaml(content: string): Promise<Yaml> {
  // Loaded here, because few commands need it.
  const { isNode, LineCounter, parseDocument } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(content, { lineCounter: lines, prettyErrors: false })
  // The library's messages may quote secrets.
  const [error] = [...document.errors, ...document.warnings]
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0])
    const reason = error.code.toLowerCase().replaceAll('_', ' ')
    throw new Refusal(`The file is not valid YAML at line ${line}, column ${col}: ${reason}.`)
  }
  return {
    value: toObject(document),
    lineOf(...path) {
      const node = path.length === 0 ? undefined : document.getIn(path, true)
      return lines.linePos((isNode(node) && node.range?.[0]) || 0).line
    },
  }
}

function toObject(document: Pick<Document, 'toJS'>): unknown {
  try {
    return document.toJS()
  } catch {
    throw new Refusal('The file is not valid YAML: an alias has no anchor, or aliases are nested too deeply.')
  }
}
