import type { Tag } from '@aws-sdk/client-ec2'

/** Sorted by key, because the order of EC2 varies. */
export const tagsOf = (tags: readonly Tag[] | undefined): Record<string, string> =>
  Object.fromEntries(
    (tags ?? [])
      .map(({ Key = '', Value = '' }) => [Key, Value] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The tag `Name`, else the id. */
export function nameOf(tags: readonly Tag[] | undefined, id: string): string {
  const name = tags?.find(({ Key }) => Key === 'Name')?.Value ?? ''
  return name === '' ? id : name
}
