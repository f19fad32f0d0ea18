import { describe, expect, it } from 'vitest'
import { colours } from '#shared/http/pages/page-style.ts'

/** Computes the relative luminance of a colour (WCAG 2.2). */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

describe.each(Object.entries(colours))('in the %s scheme', (_name, scheme) => {
  it.each([
    ['text', 'page'],
    ['quiet', 'page'],
    ['accent', 'page'],
    ['on-accent', 'accent'],
    ['error', 'page'],
    ['error', 'error-page'],
  ] as const)('%s on %s has enough contrast (WCAG 2.2, 1.4.3)', (front, back) => {
    expect(contrast(scheme[front], scheme[back])).toBeGreaterThanOrEqual(4.5)
  })

  it('shows fields and focus with enough contrast (1.4.11)', () => {
    for (const front of ['line', 'text', 'error'] as const)
      expect(contrast(scheme[front], scheme.page)).toBeGreaterThanOrEqual(3)
  })
})
