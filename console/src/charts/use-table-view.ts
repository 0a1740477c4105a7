import { useNavigate, useSearch } from '@tanstack/react-router'
import { isTable, toggleTable } from './table-names.ts'

/** Whether a chart is shown as a table; the address remembers it. */
export function useTableView(name: string): { asTable: boolean; turn: () => void } {
  const { table } = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    asTable: isTable(table, name),
    turn: () =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, table: toggleTable(before.table, name) }),
        replace: true,
        resetScroll: false,
      }),
  }
}
