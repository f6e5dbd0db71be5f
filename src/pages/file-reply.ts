/** A file that a browser saves, in place of a page. */
export interface FileReply {
  readonly to: 'file'
  readonly name: string
  readonly media_type: string
  readonly text: string
}
