import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser, skipWithoutBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'
import { openWebsite, pageOf, snippet, themes, type Website } from '../support/website.ts'

/** What WordPress 6 makes of text in its classic editor: the parts of wptexturize and wpautop that can change a form. */
function filterLikeWordPress(text: string): string {
  const inTags = (html: string, change: (tag: string) => string) =>
    html.replace(/<(?:!--[\s\S]*?-->|[^>]*>?)/g, (tag) => change(tag))
  const block =
    '(?:table|thead|tfoot|caption|col|colgroup|tbody|tr|td|th|div|dl|dd|dt|ul|ol|li|pre|form|map|area|blockquote|address|math|style|p|h[1-6]|hr|fieldset|legend|section|article|aside|hgroup|header|footer|nav|figure|figcaption|details|menu|summary)'
  const blockTag = `</?${block}[^>]*>`
  const loneAmpersand = /&(?!#(?:\d+|x[a-f0-9]+);|[a-z1-4]{1,8};)/gi
  const texturized = inTags(text, (tag) => (tag.startsWith('<!--') ? tag : tag.replace(loneAmpersand, '&#038;')))
  const apart = texturized
    .replace(new RegExp(`(<${block}[\\s/>])`, 'g'), '\n\n$1')
    .replace(new RegExp(`(</${block}>)`, 'g'), '$1\n\n')
  const paragraphs = inTags(apart, (tag) => tag.replaceAll('\n', ' <!-- wpnl --> '))
    .replace(/\s*<option/g, '<option')
    .replace(/<\/option>\s*/g, '</option>')
    .split(/\n\s*\n/)
    .filter((part) => part !== '')
    .map((part) => `<p>${part.replace(/^\n+|\n+$/g, '')}</p>\n`)
  return paragraphs
    .join('')
    .replace(/<p>\s*<\/p>/g, '')
    .replace(/<p>([^<]+)<\/(div|address|form)>/g, '<p>$1</p></$2>')
    .replace(new RegExp(`<p>\\s*(${blockTag})\\s*</p>`, 'g'), '$1')
    .replace(new RegExp(`<p>\\s*(${blockTag})`, 'g'), '$1')
    .replace(new RegExp(`(${blockTag})\\s*</p>`, 'g'), '$1')
    .replace(/<(script|style|svg)[\s\S]*?<\/\1>/g, (part) => part.replaceAll('\n', '<WPPreserveNewline />'))
    .replace(/(?<!<br \/>)\s*\n/g, '<br />\n')
    .replaceAll('<WPPreserveNewline />', '\n')
    .replace(new RegExp(`(${blockTag})\\s*<br />`, 'g'), '$1')
    .replace(/<br \/>(\s*<\/?(?:p|li|div|dl|dd|dt|th|pre|td|ul|ol)[^>]*>)/g, '$1')
    .replaceAll(' <!-- wpnl --> ', '\n')
}

/** What WordPress's kses leaves of a page whose author may not write scripts: known elements, and `data-` attributes. */
function filterLikeKses(text: string): string {
  return text
    .replace(/<\/?([a-z-]+)[^>]*>/g, (tag, name: string) => (['div', 'p', 'a'].includes(name) ? tag : ''))
    .replace(/ (?!data-|class=|id=|href=|lang=|dir=)[a-z-]+=(?:"[^"]*"|'[^']*')/g, '')
}

suite("the website forms in a website's style", { skip: skipWithoutBrowser }, () => {
  let browser: Browser
  let website: Website
  let service: Service
  before(async () => {
    website = await openWebsite()
    service = await startService({ CORS_ORIGINS: website.origin })
    browser = await launchBrowser()
  })
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())))
  after(async () => {
    await browser.close()
    await service.stop()
    website.server.close()
  })

  async function open(body: string, head = '', options = {}): Promise<Page> {
    website.files['/'] = pageOf(body, head)
    const page = await browser.newPage({ viewport: { width: 390, height: 900 }, ...options })
    page.setDefaultTimeout(10_000)
    await page.goto(website.origin)
    return page
  }

  /** Presses the button of the first form, so that every field has a message. */
  async function press(page: Page): Promise<void> {
    await page.locator('lead-form').first().getByRole('button').click()
    await page.getByText('Please look at the fields').waitFor()
  }

  /** Where and how each part of the first form is shown. */
  const lookOf = (page: Page) =>
    page.evaluate<unknown[]>(`(() => {
      const form = document.querySelector('lead-form').shadowRoot.querySelector('form')
      const { x, y } = form.getBoundingClientRect()
      return [...form.querySelectorAll('*')].filter((part) => part.checkVisibility({ visibilityProperty: true })).map((part) => {
        const box = part.getBoundingClientRect()
        const { color, backgroundColor, direction, fontSize, fontStyle, textTransform, textAlign, opacity } = getComputedStyle(part)
        return [part.id || part.tagName, box.x - x, box.y - y, box.width, box.height, color, backgroundColor, direction, fontSize, fontStyle, textTransform, textAlign, opacity]
      })
    })()`)

  async function assertAccessible(page: Page): Promise<void> {
    await page.evaluate(axe.source)
    const violations =
      "axe.run('lead-form').then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))"
    assert.deepEqual(await page.evaluate(violations), [])
  }
  const overflow = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

  /** The width of the form is the website's choice, so it is the same in all. */
  const width =
    'main { display: block !important; width: 358px !important; margin: 0 !important; padding: 0 !important; columns: auto !important; transform: none !important; border: 0 !important; } main > * { float: none !important; width: auto !important; }'

  test('look the same under hostile themes, on a page from right to left, and after the filters of WordPress', async () => {
    const forms = snippet(service.url)
    const plain = await open(forms, `<style>${width}</style>`)
    await press(plain)
    const expected = await lookOf(plain)
    assert(expected.length > 40)
    const script = `<script src="${service.url}/website-forms.js" async></script>`
    const div =
      '<div data-lead-form data-kind="quote" data-services="Regular cleaning, Deep clean" onclick="alert(1)">Call us</div>'
    const kept = filterLikeKses(`${script}${div}`)
    assert.equal(kept, div.replace(' onclick="alert(1)"', ''))
    const cases = {
      ...Object.fromEntries(Object.entries(themes).map(([name, css]) => [name, [forms, `<style>${css}</style>`]])),
      'right to left': [forms.replace('<script', '<script>document.documentElement.dir = "rtl"</script><script'), ''],
      'the classic editor of WordPress': [filterLikeWordPress(forms), ''],
      'an author of WordPress': [filterLikeWordPress(kept), script],
    }
    for (const [name, [body = '', head = '']] of Object.entries(cases)) {
      const page = await open(body, `${head}<style>${width}</style>`)
      await press(page)
      const look = await lookOf(page)
      assert.deepEqual(look, expected, name)
      assert.equal(await page.evaluate('scrollTo(-999, 0), scrollX'), 0)
      await page.close()
    }
  })

  test('fit a small phone with a large or widely spaced text, light, dark and in forced colors', async () => {
    const spaced =
      '<style>* { letter-spacing: .12em !important; word-spacing: .16em !important; line-height: 1.5 !important; }</style>'
    const dark = `<style>lead-form { --lead-form-scheme: dark; --lead-form-ground: #1b2422; --lead-form-ink: #eef3f1; --lead-form-soft: #b7c4c0;
      --lead-form-accent: #5fd3bd; --lead-form-on-accent: #06201b; --lead-form-edge: #8aa09a; --lead-form-wrong: #ff9d92; }</style>`
    for (const [name, head, options] of [
      ['plain', '', {}],
      ['spaced', spaced, {}],
      ['dark', dark, { colorScheme: 'dark' }],
      ['forced colors', '', { forcedColors: 'active' }],
    ] as const) {
      const page = await open(snippet(service.url), head, { viewport: { width: 320, height: 800 }, ...options })
      await assertAccessible(page)
      await press(page)
      await assertAccessible(page)
      assert.equal(await overflow(page), 0, name)
      const spacing = await page.evaluate(`(({ letterSpacing, wordSpacing }) => [letterSpacing, wordSpacing])(
        getComputedStyle(document.querySelector('lead-form').shadowRoot.querySelector('button')))`)
      assert.deepEqual(spacing, name === 'spaced' ? ['1.92px', '2.56px'] : ['normal', '0px'], name)
      const border =
        "getComputedStyle(document.querySelector('lead-form').shadowRoot.querySelector('button')).borderTopColor"
      if (name === 'forced colors') assert.notEqual(await page.evaluate(border), 'rgba(0, 0, 0, 0)')
    }
  })

  test('print every field and the wording, and read from right to left in such a language', async () => {
    const rtl = `<script src="${service.url}/website-forms.js" async></script>
      <lead-form lang="he" dir="rtl" texts='{"name": "שם", "quote.title": "הצעת מחיר"}'></lead-form>`
    const page = await open(rtl)
    const form = page.getByRole('form', { name: 'הצעת מחיר' })
    assert.equal(await form.getAttribute('dir'), 'rtl')
    const placeOf = async (name: string) => (await form.getByLabel(name).boundingBox()) ?? assert.fail(name)
    const [box, label] = [await placeOf('I ask'), (await form.locator('.consent label').boundingBox()) ?? assert.fail()]
    assert(box.x > label.x + label.width - 1, 'the tick is to the right of its wording')
    await assertAccessible(page)
    await page.emulateMedia({ media: 'print' })
    assert(await form.getByText('I ask').isVisible())
    assert.equal(await form.getByRole('textbox').count(), 6)
  })
})
