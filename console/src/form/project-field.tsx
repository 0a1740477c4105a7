import type { ReactNode } from 'react'
import { useMessages } from '../messages/use-messages.ts'
import { SelectField } from '../ui/field.tsx'

/** A project to choose, grouped by domain because names repeat. */
export interface ProjectChoice {
  readonly id: string
  readonly name: string
  readonly domain: string
}

interface Props {
  readonly choices: readonly ProjectChoice[]
  readonly label: string
  readonly name?: string
  readonly hint?: ReactNode
  readonly error?: string | undefined
  readonly value: string
  readonly onChange: (id: string) => void
}

/** A select field for projects, grouped by domain. */
export function ProjectField({ choices, value, onChange, ...field }: Props) {
  const t = useMessages()
  const domains = Map.groupBy(choices, ({ domain }) => domain)
  const isUnseen = value !== '' && !choices.some(({ id }) => id === value)
  return (
    <SelectField
      {...field}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">
        {choices.length === 0 ? t.common.noProjects : t.common.chooseProject}
      </option>
      {isUnseen && <option value={value}>{t.common.unseenProject(value)}</option>}
      {[...domains].map(([domain, projects]) => (
        <optgroup key={domain} label={domain}>
          {projects.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </optgroup>
      ))}
    </SelectField>
  )
}
