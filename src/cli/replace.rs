//! Writing a file anew without losing what somebody else has written.

use std::path::Path;

/// Replaces a file that says `before`, as a whole or not at all. One that must not be written, or that says something else by now,
/// stays as it is.
///
/// # Errors
/// What stood against it.
pub fn replace(path: &Path, before: &str, text: &str) -> std::io::Result<()> {
    let permissions = std::fs::metadata(path)?.permissions();
    if permissions.readonly() {
        // A folder that may be written would let it be replaced all the same.
        return Err(std::io::Error::other("the file is read-only"));
    }
    if std::fs::read_to_string(path)? != before {
        return Err(std::io::Error::other("the file was changed while its cases were checked"));
    }
    let part = path.with_extension("toml.part");
    let written = std::fs::write(&part, text)
        .and_then(|()| std::fs::set_permissions(&part, permissions))
        .and_then(|()| std::fs::rename(&part, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn file(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("aftercalm-replace-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("a.toml");
        std::fs::write(&file, "before").unwrap();
        file
    }

    fn says(file: &Path) -> String {
        let text = std::fs::read_to_string(file).unwrap();
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
        std::fs::remove_dir_all(file.parent().unwrap()).unwrap();
        text
    }

    #[test]
    fn a_file_that_was_changed_meanwhile_stays() {
        let file = file("changed");
        assert!(replace(&file, "earlier", "after").unwrap_err().to_string().contains("was changed"));
        assert_eq!(says(&file), "before");
    }

    #[test]
    fn a_read_only_file_stays_and_another_is_replaced() {
        let file = file("read-only");
        let mut permissions = std::fs::metadata(&file).unwrap().permissions();
        let open = permissions.clone();
        permissions.set_readonly(true);
        std::fs::set_permissions(&file, permissions).unwrap();
        assert!(replace(&file, "before", "after").unwrap_err().to_string().contains("read-only"));
        std::fs::set_permissions(&file, open.clone()).unwrap();
        replace(&file, "before", "after").unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions(), open);
        assert_eq!(says(&file), "after");
    }
}
