/** A region of one provider. Region names are not unique. */
export interface RegionName {
  readonly provider: string
  readonly region: string
}

export const regionKey = ({ provider, region }: RegionName): string =>
  `${encodeURIComponent(provider)}/${encodeURIComponent(region)}`

/** The expanded regions in the address: `open=Aws/eu-central-1,Google/…`. */
export const openIn = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? '').split(',').filter((key) => key !== ''))

/** Toggles one region in the list. */
export function toggleRegion(text: string | undefined, name: RegionName): string {
  const key = regionKey(name)
  const open = openIn(text)
  const next = open.has(key) ? [...open].filter((other) => other !== key) : [...open, key]
  return next.join(',')
}
