/** A region of one provider; others may have one of the same name. */
export interface RegionName {
  readonly provider: string
  readonly region: string
}

export const regionKey = ({ provider, region }: RegionName): string =>
  `${encodeURIComponent(provider)}/${encodeURIComponent(region)}`

/** The regions whose zones are shown, as the address has them: `open=Aws/eu-central-1,Google/…`. */
export const openIn = (text: string | undefined): ReadonlySet<string> =>
  new Set((text ?? '').split(',').filter((key) => key !== ''))

/** With this one opened or closed; empty where then none is open. */
export function toggleRegion(text: string | undefined, name: RegionName): string {
  const key = regionKey(name)
  const open = openIn(text)
  const next = open.has(key) ? [...open].filter((other) => other !== key) : [...open, key]
  return next.join(',')
}
