import { createStore } from './store.ts'

export type Preferences = { theme: 'auto' | 'light' | 'dark'; zone: 'local' | 'utc'; singleKeys: boolean }

const key = 'console-preferences'
const defaults: Preferences = { theme: 'auto', zone: 'local', singleKeys: true }

function readStored(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(key) ?? '{}') }
  } catch {
    // Ignores a value that another version or a person wrote.
    return defaults
  }
}

export const preferences = createStore(readStored())

export function applyTheme(): void {
  const { theme } = preferences.get()
  document.documentElement.style.colorScheme = theme === 'auto' ? 'light dark' : theme
}

export function setPreference(change: Partial<Preferences>): void {
  preferences.set({ ...preferences.get(), ...change })
  localStorage.setItem(key, JSON.stringify(preferences.get()))
  applyTheme()
}
