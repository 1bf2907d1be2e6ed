import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs';
import { Snippet } from './copy-button.tsx';

interface SnippetsProps {
  /** What the snippets do, for a reader who does not see the page. */
  readonly label: string;
  /**
   * The same in several languages; the first is shown. Each has one or several texts, to be used in
   * this order.
   */
  readonly choices: readonly { readonly title: string; readonly texts: readonly string[] }[];
}

/** The same work in several languages, one shown at a time. */
export function Snippets({ label, choices }: SnippetsProps) {
  return (
    <Tabs className="tabs">
      <TabList className="tab-list" aria-label={label}>
        {choices.map(({ title }) => (
          <Tab key={title} id={title} className="tab">
            {title}
          </Tab>
        ))}
      </TabList>
      {choices.map(({ title, texts }) => (
        <TabPanel key={title} id={title} className="tab-panel">
          {texts.map((text, at) => (
            <Snippet
              key={text}
              text={text}
              label={texts.length === 1 ? 'Copy' : `Copy part ${at + 1}`}
            />
          ))}
        </TabPanel>
      ))}
    </Tabs>
  );
}
