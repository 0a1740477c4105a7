export interface SizedColumn<Name extends string> {
  readonly name: Name
  /** The usual width, in pixels. */
  readonly width: number
  /** Its values are never cut, however narrow the window is. */
  readonly isWhole?: boolean | undefined
}

/** Widths of columns by name, in pixels. */
export type Widths = Readonly<Record<string, number>>

interface Options<Name extends string> {
  readonly columns: readonly SizedColumn<Name>[]
  /** The widths that the user chose. */
  readonly chosen: Widths
  /** What the values of whole columns need. */
  readonly needed: Widths
  /** Undefined until it is measured. */
  readonly available: number | undefined
}

/** The part of its usual width that a column keeps at least, before the table scrolls. */
const narrowest = 0.6

/**
 * Whole columns and those that the user sized keep their widths. The others share the rest. In a narrow window the
 * first one, which names the row, keeps its usual width too.
 */
export function fitColumns<Name extends string>(options: Options<Name>) {
  const { columns, chosen, needed, available } = options
  const ownWidth = ({ name, width, isWhole }: SizedColumn<Name>): number | undefined =>
    isWhole ? Math.max(chosen[name] ?? width, needed[name] ?? 0) : chosen[name]
  const all = columns.reduce((sum, column) => sum + (ownWidth(column) ?? column.width), 0)
  const isNarrow = available !== undefined && available < all
  const fixedWidth = (column: SizedColumn<Name>): number | undefined =>
    ownWidth(column) ?? (isNarrow && column === columns[0] ? column.width : undefined)
  const taken = columns.reduce((sum, column) => sum + (fixedWidth(column) ?? 0), 0)
  const flexible = columns.filter((column) => fixedWidth(column) === undefined)
  const usual = flexible.reduce((sum, { width }) => sum + width, 0)
  const factor =
    available === undefined ? 1 : Math.max(narrowest, (available - taken) / Math.max(usual, 1))
  const widths = columns.map((column) => fixedWidth(column) ?? Math.floor(column.width * factor))
  // What rounding leaves over.
  const left = (available ?? 0) - widths.reduce((sum, width) => sum + width, 0)
  const last = flexible.at(-1)
  return {
    widths: widths.map((width, at) =>
      columns[at] === last && left > 0 && factor > narrowest ? width + left : width,
    ),
    /** Without a flexible column the table may be narrower than the window. */
    isFlexible: flexible.length > 0,
  }
}
