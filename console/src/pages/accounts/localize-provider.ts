import type { CloudProvider } from '@muster/contract'
import type { Messages } from '../../messages/en/index.ts'

/** The API describes providers in English. Other languages bring their own texts. */
export function localizeProvider(
  provider: CloudProvider,
  known: Messages['accounts']['providerTexts'],
): CloudProvider {
  const texts = known[provider.provider]
  if (!texts) return provider
  const translated = <Field extends { readonly name: string; readonly description: string }>(
    field: Field,
  ): Field => ({ ...field, description: texts.fields[field.name] ?? field.description })
  const titled = (rights: CloudProvider['rights'], titles: readonly string[]) =>
    rights.map(({ title, text }, index) => ({ title: titles[index] ?? title, text }))
  return {
    ...provider,
    title: texts.title,
    description: texts.description,
    address: { ...provider.address, description: texts.address },
    credentials: provider.credentials.map(translated),
    options: provider.options.map(translated),
    rights: titled(provider.rights, texts.rights),
    action_rights: titled(provider.action_rights, texts.actionRights ?? []),
  }
}
