import { onTestFinished } from 'vitest'

/** Replaces a method until the end of the test. Unlike a spy, the replacement does not record its calls, of which there can be millions. */
export function replaceMethod<T extends object, K extends keyof T>(object: T, name: K, replacement: T[K]): void {
  const original = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { value: replacement, configurable: true, writable: true })
  onTestFinished(() => {
    if (original) Object.defineProperty(object, name, original)
    else delete object[name]
  })
}
