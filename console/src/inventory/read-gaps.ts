/** A time in which an account was not observed. */
export interface Gap {
  readonly accountId: string
  /** The region at the source, if only that was not observed. */
  readonly region: string | undefined
  /** In milliseconds; undefined if the account was never observed before. */
  readonly from: number | undefined
  /** Undefined if the account is not observed yet. */
  readonly until: number | undefined
}

const form =
  /"(?<account>[^"]*)"(?:;region=(?:"(?<region>[^"]*)"|%"(?<encoded>[^"]*)"))?(?:;from=@(?<from>\d+))?(?:;until=@(?<until>\d+))?/g

const toTime = (seconds: string | undefined) =>
  seconds === undefined ? undefined : Number(seconds) * 1_000

/** Reads the header `Muster-Gaps`. */
export function readGaps(header: string | null): readonly Gap[] {
  return [...(header ?? '').matchAll(form)].map(({ groups = {} }) => {
    const { account = '', region, encoded, from, until } = groups
    return {
      accountId: account,
      region: region ?? (encoded === undefined ? undefined : decodeURIComponent(encoded)),
      from: toTime(from),
      until: toTime(until),
    }
  })
}
