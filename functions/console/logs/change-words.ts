import type { Names } from '../collection/references.ts'
import { shortId } from '../parts/characters.ts'
import { labelOf, texts } from '../texts/texts.ts'
import type { Change } from './entries.ts'
import { fieldChanges, groupsOf } from './field-changes.ts'
import { nameOf, rowOf } from './objects.ts'

/** Part of a sentence: words of the catalogue, or a name that another system wrote. */
export type Segment = { text: string; isName: boolean }

/** Maximum number of changes of a commit that are described one by one, and of fields that are named. */
const maxNamed = 3

/** Returns the label of a field within a sentence: in lower case, unless it starts with an abbreviation. */
const inSentence = (field: string): string =>
  labelOf(field).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())

/** Fills names into a sentence of the catalogue, in the order of its `{}`. */
const fill = (sentence: string, ...names: string[]): Segment[] =>
  sentence.split('{}').flatMap((text, index) => {
    const name = names[index]
    return [{ text, isName: false }, ...(name === undefined ? [] : [{ text: name, isName: true }])]
  })

/** Links of a member, by the object of the entry. */
const members: Record<string, [member: 'actors' | 'clients', field: string, set: 'groups' | 'resources', of: string]> =
  {
    memberships: ['actors', 'actor_id', 'groups', 'group_id'],
    static_device_pool_members: ['clients', 'device_id', 'resources', 'resource_id'],
  }

function changeSegments(change: Change, names: Names): Segment[] {
  const { object, operation } = change
  const row = rowOf(change)
  const link = members[object]
  if (link && operation !== 'update') {
    const [member, field, set, of] = link
    const named = (to: typeof member | typeof set, id: unknown) => names(to, String(id)) ?? shortId(String(id))
    return fill(texts.logs.member[operation], named(member, row[field]), named(set, row[of]))
  }
  const changed = fieldChanges(change).map(({ field }) => field)
  const { name, isOwner } = nameOf(change, names)
  const noun = isOwner ? texts.logs.of(texts.logs.object(object, 1)) : texts.logs.object(object, 1)
  if (operation === 'update' && changed.length === 1 && changed[0] === 'is_disabled')
    return fill(row.is_disabled ? texts.logs.disabled(noun) : texts.logs.enabled(noun), name)
  const fields = changed.length <= maxNamed ? changed.map(inSentence) : []
  const words = texts.logs.changed(operation, noun, operation === 'update' ? fields : [])
  return fill(words, name)
}

/** Describes a commit in words: who changed which objects (K9.1). */
export function commitSegments(commit: Change[], names: Names): Segment[] {
  const [first] = commit
  if (!first) return []
  const { actor_name, actor_email } = first.subject ?? {}
  const author = actor_name ?? actor_email
  const groups = groupsOf(commit, ({ object, operation }) => `${operation} ${object}`)
  const parts = groups.slice(0, maxNamed).map((group): Segment[] => {
    const one = group[0] ?? first
    if (group.length === 1) return changeSegments(one, names)
    return [{ text: texts.logs.changedMany(one.operation, one.object, group.length), isName: false }]
  })
  const more = groups.slice(maxNamed).reduce((sum, { length }) => sum + length, 0)
  const all = [...parts, ...(more > 0 ? [[{ text: texts.logs.more(more), isName: false }]] : [])]
  return [
    author
      ? { text: author, isName: true }
      : { text: first.run_id ? texts.logs.sync : texts.logs.service, isName: false },
    ...all.flatMap((part, index) => [{ text: index === 0 ? ' ' : texts.logs.separator, isName: false }, ...part]),
  ]
}
