import type { HistogramCounts } from '../domain/histogram.ts'

type Labels = Readonly<Record<string, string>>

/** One line of the text format; a suffix such as `_sum` is part of its name. */
export interface Sample {
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

/**
 * A metric family. Its values are read when Prometheus asks. Most of them exist already, such as the
 * length of a queue. A library such as `prom-client` wants them pushed into its own objects, in the right
 * thread, and does not accept the histograms of other threads.
 */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly labels?: readonly string[]
  /** Without a sample, the family is left out. */
  read(): Iterable<Sample>
}

/** The samples of one histogram: cumulative buckets, sum and count. */
export function histogramSamples(
  labels: Labels,
  { bounds, counts, sum }: HistogramCounts,
): Sample[] {
  let count = 0
  const buckets = counts.map((inBucket, index) => {
    count += inBucket
    const le = index < bounds.length ? String(bounds[index]) : '+Inf'
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ]
}

/** One value without labels; none if it is not known. */
export const single = (value: number | undefined): Sample[] =>
  value === undefined ? [] : [{ value }]

/** One sample for each entry, with its name as the label. */
export const byLabel = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' }
const escapeLabel = (text: string) =>
  text.replaceAll(/[\\\n"]/g, (found) => escapes[found] ?? found)

function renderLabels(labels: Labels = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join()}}`
}

function renderFamily({ name, type, help, read }: Metric): string {
  const lines = Array.from(
    read(),
    ({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}`,
  )
  if (lines.length === 0) return ''
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`
}

/** The text format of Prometheus, version 0.0.4. */
export const renderMetrics = (metrics: readonly Metric[]): string =>
  metrics.map(renderFamily).join('')
