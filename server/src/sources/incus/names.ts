import { SourceError } from '../../domain/sources/source-error.ts'

/** Whether a name can be a part of a request path. Others, such as `..`, would change the path. */
export const isName = (name: string): boolean =>
  name.isWellFormed() && !['', '.', '..'].includes(name) && !name.includes('/')

/** The name in a request path. */
export function encodeName(name: string): string {
  if (isName(name)) return encodeURIComponent(name)
  throw new SourceError('failed', 'A name is not valid in the API of Incus and LXD.')
}

const urlForm = /^\/1\.0\/(?:instances|containers|virtual-machines)\/([^/?]+)(?:\?|$)/

/** The name in the URL of an instance; '' if it is none. */
export function instanceNameIn(url: string): string {
  const [, encoded = ''] = urlForm.exec(url) ?? []
  try {
    const name = decodeURIComponent(encoded)
    return isName(name) ? name : ''
  } catch {
    return ''
  }
}
