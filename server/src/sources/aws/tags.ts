import type { Tag } from '@aws-sdk/client-ec2'

/** In the order of their keys: EC2's own order is not always the same. */
export const tagsOf = (tags: readonly Tag[] | undefined): Record<string, string> =>
  Object.fromEntries(
    (tags ?? [])
      .map(({ Key = '', Value = '' }) => [Key, Value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** What a thing is called: its tag `Name`, else its id. */
export function nameOf(tags: readonly Tag[] | undefined, id: string): string {
  const name = tags?.find(({ Key }) => Key === 'Name')?.Value ?? ''
  return name === '' ? id : name
}
