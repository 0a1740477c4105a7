import { useFormat } from '../messages/use-format.ts'
import { useMessages } from '../messages/use-messages.ts'
import { useProjectName } from '../session/use-project-name.ts'
import type { ChangeWords } from './describe-changes.ts'
import { useValueNames } from './value-names.ts'

/** The words for changes, in the language of the user. */
export function useChangeWords(): ChangeWords {
  const messages = useMessages()
  const format = useFormat()
  const names = useValueNames()
  const projectName = useProjectName()
  return { messages, format, names, projectName }
}
