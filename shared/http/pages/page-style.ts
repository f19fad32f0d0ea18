/** Colours used by the pages. A test verifies their contrast. */
export const colours = {
  light: {
    page: '#ffffff',
    text: '#1b1f24',
    quiet: '#57606a',
    line: '#6e7781',
    accent: '#0b57d0',
    'on-accent': '#ffffff',
    error: '#a3201a',
    'error-page': '#fdf1f0',
  },
  dark: {
    page: '#14171a',
    text: '#e9ecef',
    quiet: '#a9b1ba',
    line: '#8b949e',
    accent: '#8ab4f8',
    'on-accent': '#10151c',
    error: '#ffb4ab',
    'error-page': '#2b1816',
  },
} as const

const variables = (scheme: Record<string, string>) =>
  Object.entries(scheme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')

/** Style of all pages. Buttons have borders, which remain visible if a forced palette removes backgrounds. */
export const pageStyle = `
:root{color-scheme:light dark;${variables(colours.light)}}
@media (prefers-color-scheme:dark){:root{${variables(colours.dark)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:26rem;margin:0 auto;padding:clamp(1.5rem,8vh,5rem) 1.25rem 2rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1rem;margin:2rem 0 .5rem}
p{margin:0 0 1rem}
ul{list-style:none;margin:1.5rem 0 0;padding:0}
li+li{margin-top:.75rem}
.other{margin-top:.75rem;text-align:center}
label{display:block;font-weight:600;margin-bottom:.25rem}
input{display:block;width:100%;min-height:2.75rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--page);
border:1px solid var(--line);border-radius:.375rem}
input[aria-invalid]{border:2px solid var(--error)}
.passcode{font-family:ui-monospace,monospace;letter-spacing:.2em;text-transform:uppercase}
.button{display:block;width:100%;min-height:2.75rem;padding:.5rem 1rem;font:inherit;font-weight:600;line-height:1.75rem;
text-align:center;text-decoration:none;color:var(--accent);background:var(--page);border:1px solid var(--accent);
border-radius:.375rem;cursor:pointer}
.button.first{color:var(--on-accent);background:var(--accent)}
form .button,form+p{margin-top:.75rem}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--text);outline-offset:2px}
.quiet{color:var(--quiet)}
.error{color:var(--error);background:var(--error-page);border:1px solid var(--error);border-left-width:.375rem;
border-radius:.375rem;padding:.75rem 1rem;margin:1.5rem 0}
.error p{margin:0}
.error p+p{margin-top:.5rem}
.hint{color:var(--error);margin:.25rem 0 0}
`
