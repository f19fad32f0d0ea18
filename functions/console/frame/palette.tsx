import { useEffect, useState } from 'react'
import { Autocomplete, Input, ListBox, ListBoxItem, SearchField } from 'react-aria-components'
import { useLocation } from 'wouter'
import { useRead } from '../client/queries.ts'
import { ModalDialog } from '../parts/controls.tsx'
import { Icon, type IconName } from '../parts/icons.tsx'
import { preferences, setPreference } from '../parts/preferences.ts'
import { ShownText } from '../parts/shown-text.tsx'
import { endSession, hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import { navigation } from './navigation.ts'

/** Milliseconds without typing after which the search is sent. */
const searchDelay = 150

type Entry = { id: string; name: string; note: string; icon: IconName; run: () => void }

const creatable: Noun[] = ['resources', 'policies', 'groups', 'actors', 'sites', 'tokens']

/** Addresses of found objects by their collection (G3). Directories and providers have their kind in the address. */
function addressOf(object: string, id: string): string {
  const [, kind, of] = /^(\w+?)_(auth_providers|directories)$/.exec(object) ?? []
  if (kind) return `/${of === 'directories' ? 'directories' : 'providers'}/${kind}/${id}`
  return `/${object.replace('mdm_', '')}/${id}`
}

/** Objects that match the typed text, a moment after the last key. */
function useHits(typed: string) {
  const [text, setText] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setText(typed.trim()), searchDelay)
    return () => clearTimeout(timer)
  }, [typed])
  const isLong = text.length >= 2 && text.length <= 64
  const read = useRead('GET /search', { path: {}, query: { q: text }, enabled: isLong, keep: true })
  return isLong && typed.trim() !== '' ? read.data?.answer : undefined
}

/** Palette of screens, actions and objects (K5.9). */
export function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const session = useSession()
  const [, navigate] = useLocation()
  const [typed, setTyped] = useState('')
  const found = useHits(typed)
  const screens: Entry[] = navigation
    .flatMap(({ entries }) => entries)
    .filter(({ scope }) => !scope || hasScope(session, scope, 'read'))
    .map(({ path, label, icon }) => ({
      id: path,
      name: label,
      note: texts.palette.screen,
      icon,
      run: () => navigate(path),
    }))
  const creating: Entry[] = creatable
    .filter((noun) => hasScope(session, noun === 'tokens' ? 'actors' : noun, 'write'))
    .map((noun) => ({
      id: `new ${noun}`,
      name: texts.actions.create(noun),
      note: texts.palette.action,
      icon: 'add',
      run: () => navigate(`/${noun}/new`),
    }))
  const action = (id: string, name: string, icon: IconName, run: () => void): Entry => ({
    id,
    name,
    note: texts.palette.action,
    icon,
    run,
  })
  const isDark = preferences.get().theme === 'dark'
  const actions = [
    ...creating,
    action('theme', isDark ? texts.palette.light : texts.palette.dark, 'settings', () =>
      setPreference({ theme: isDark ? 'light' : 'dark' }),
    ),
    action('keys', texts.keys.title, 'find', onHelp),
    action('sign out', texts.actions.signOut, 'close', () => void endSession('ended')),
  ]
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const isMatch = ({ name }: Entry) => words.every((word) => name.toLowerCase().includes(word))
  const hits: Entry[] = (found?.data ?? []).map(({ object, id, name, matched, value }) => ({
    id: `${object} ${id}`,
    name,
    note: [texts.logs.object(object, 1), matched === 'name' ? '' : value].filter(Boolean).join(' · '),
    icon: navigation.flatMap(({ entries }) => entries).find(({ path }) => path === `/${object}`)?.icon ?? 'next',
    run: () => navigate(addressOf(object, id)),
  }))
  const entries = [...screens, ...actions].filter(isMatch)
  const all = [...hits, ...entries]
  const choose = (key: unknown) => {
    onClose()
    all.find(({ id }) => id === key)?.run()
  }
  return (
    <ModalDialog title={<span className="visually-hidden">{texts.palette.title}</span>} onClose={onClose}>
      {/* Esc closes at once, instead of first clearing the field */}
      <div className="palette" onKeyDownCapture={({ key }) => key === 'Escape' && onClose()}>
        <Autocomplete inputValue={typed} onInputChange={setTyped}>
          <SearchField aria-label={texts.palette.title} autoFocus>
            <Input className="input" placeholder={texts.palette.placeholder} />
          </SearchField>
          <ListBox
            aria-label={texts.palette.title}
            className="choices"
            items={all}
            onAction={choose}
            renderEmptyState={() => <p className="minor choice">{texts.form.noChoice}</p>}
          >
            {(entry: Entry) => (
              <ListBoxItem id={entry.id} textValue={entry.name} className="choice palette-choice">
                <Icon name={entry.icon} />
                <span className="palette-name">
                  <ShownText text={entry.name} />
                </span>
                <span className="minor">
                  <ShownText text={entry.note} />
                </span>
              </ListBoxItem>
            )}
          </ListBox>
        </Autocomplete>
        {found && (found.metadata.truncated || !found.metadata.indexed) && (
          <p className="minor">{found.metadata.indexed ? texts.palette.truncated : texts.palette.notIndexed}</p>
        )}
      </div>
    </ModalDialog>
  )
}
