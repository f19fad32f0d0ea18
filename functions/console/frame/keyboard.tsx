import { Suspense, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { ChunkBoundary } from '../parts/chunk-boundary.tsx'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { lazyScreen } from '../parts/lazy-screen.ts'
import { preferences } from '../parts/preferences.ts'
import { createStore, useStore } from '../parts/store.ts'
import { texts } from '../texts/texts.ts'
import { navigation } from './navigation.ts'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')

/** Moves the focus to the link of the next or previous row of the list. */
function moveRow(step: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('.row-link')]
  const current = links.indexOf(document.activeElement as HTMLElement)
  const next = current < 0 ? 0 : Math.min(Math.max(current + step, 0), links.length - 1)
  links[next]?.focus()
}

const press = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click()

const places = navigation.flatMap(({ entries }) => entries)

/** Keys of the screens, in words. */
const placeKeys = places.flatMap(({ key, label }) => (key ? [[`g ${key}`, label] as const] : []))

/** Palette, in a file of its own. */
const Palette = lazyScreen(async () => (await import('./palette.tsx')).Palette)

/** True while the palette is open. */
export const palette = createStore(false)

/** Palette at Ctrl or ⌘ K, and single-key shortcuts (K5.9). These are off in fields and dialogs, and can be turned off. */
export function KeyboardShortcuts() {
  const [isHelp, setHelp] = useState(false)
  const isPalette = useStore(palette)
  const [, navigate] = useLocation()
  useEffect(() => {
    let afterG = 0
    const actions: Record<string, () => void> = {
      '/': () => document.querySelector<HTMLElement>('[data-shortcut="find"]')?.focus(),
      j: () => moveRow(1),
      k: () => moveRow(-1),
      e: () => press('[data-shortcut="edit"] a'),
      n: () => press('.page-actions a.primary[href$="/new"]'),
      r: () => press('[data-shortcut="raw"] button'),
      '?': () => setHelp(true),
    }
    const onKey = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
      const hasDialog = document.querySelector('[role$="dialog"]') !== null
      if ((event.ctrlKey || event.metaKey) && event.key === 'k' && !hasDialog) {
        event.preventDefault()
        palette.set(true)
      }
      const isBusy = isTyping(event.target) || hasDialog
      if (!isPlain || isBusy || !preferences.get().singleKeys) return
      if (event.key === 'g' && Date.now() - afterG > 1000) {
        afterG = Date.now()
        return
      }
      const isSecond = Date.now() - afterG <= 1000
      afterG = 0
      const place = places.find(({ key }) => key === event.key)
      const action = isSecond && place ? () => navigate(place.path) : actions[event.key]
      if (!action) return
      event.preventDefault()
      action()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
  if (isPalette)
    return (
      <ChunkBoundary onClose={() => palette.set(false)}>
        <Suspense>
          <Palette onClose={() => palette.set(false)} onHelp={() => setHelp(true)} />
        </Suspense>
      </ChunkBoundary>
    )
  if (!isHelp) return null
  return (
    <ModalDialog title={texts.keys.title} onClose={() => setHelp(false)}>
      <dl className="keys">
        {[...texts.keys.rows, ...placeKeys].map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div className="dialog-actions">
        <ActionButton onPress={() => setHelp(false)}>{texts.actions.close}</ActionButton>
      </div>
    </ModalDialog>
  )
}
