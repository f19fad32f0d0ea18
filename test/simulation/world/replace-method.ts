import { onTestFinished } from 'vitest'

/** Replaces a method until the test is over. Unlike a spy it keeps no record of its calls, of which there are millions. */
export function replaceMethod<T extends object, K extends keyof T>(object: T, name: K, replacement: T[K]): void {
  const original = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { value: replacement, configurable: true, writable: true })
  onTestFinished(() => {
    if (original) Object.defineProperty(object, name, original)
    else delete object[name]
  })
}
