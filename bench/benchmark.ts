/** One line of the result table. */
export interface Row {
  readonly what: string
  readonly measured: string
  readonly target: string
  readonly reached: boolean
}

/** A benchmark: its number, and how to measure it. */
export interface Benchmark {
  readonly id: string
  readonly title: string
  measure(): Promise<Row[]>
}

const rounds = 3

/** Measures the candidates in turn, in several rounds, and returns the best result of each to reduce noise. */
export async function bestOfRounds<Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<number>>>,
  better: (left: number, right: number) => number = Math.max,
): Promise<Record<Name, number>> {
  const best: Partial<Record<Name, number>> = {}
  for (let round = 0; round < rounds; round += 1) {
    for (const name of Object.keys(contenders) as Name[]) {
      const result = await contenders[name]()
      best[name] = best[name] === undefined ? result : better(best[name], result)
    }
  }
  return best as Record<Name, number>
}

/** The ratio to a limit, as a row. */
export function ratioRow(
  what: string,
  unit: string,
  measured: number,
  limit: { readonly name: string; readonly value: number },
  target: number,
): Row {
  const ratio = measured / limit.value
  return {
    what,
    measured: `${ratio.toFixed(2)} (${Math.round(measured)} of ${Math.round(limit.value)} ${unit})`,
    target: `≥ ${target.toFixed(2)} of the ${limit.name}`,
    reached: ratio >= target,
  }
}

/** A value that must not exceed a bound, as a row. */
export const boundRow = (what: string, unit: string, measured: number, bound: number): Row => ({
  what,
  measured: `${measured < 10 ? measured.toFixed(2) : Math.round(measured)} ${unit}`,
  target: `≤ ${bound} ${unit}`,
  reached: measured <= bound,
})

/** A duration compared with another one, as a row. */
export function timesRow(
  what: string,
  measured: number,
  other: { readonly name: string; readonly value: number },
  bound: number,
): Row {
  const times = measured / other.value
  return {
    what,
    measured: `${times.toFixed(2)} (${measured.toFixed(2)} ms to ${other.value.toFixed(2)} ms)`,
    target: `≤ ${bound.toFixed(2)} of that ${other.name}`,
    reached: times <= bound,
  }
}
