//! The number of containers for each pool.

/// Divides the containers that the operator allows among pools of these sizes. The pools get one
/// container each in turn, beginning with the first pool, until they have their sizes or none is
/// left.
#[must_use]
pub fn shares(limit: u32, sizes: &[u32]) -> Vec<u32> {
    let mut shares = vec![0; sizes.len()];
    let mut left = limit;
    while left > 0 {
        let before = left;
        for (share, size) in shares.iter_mut().zip(sizes) {
            if left > 0 && *share < *size {
                *share += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::shares;
    use proptest::prelude::*;

    #[test]
    fn each_pool_gets_one_in_turn() {
        assert_eq!(shares(5, &[4, 1, 3]), [2, 1, 2]);
        assert_eq!(shares(2, &[4, 1, 3]), [1, 1, 0]);
        assert_eq!(shares(100, &[4, 1, 3]), [4, 1, 3]);
        assert_eq!(shares(0, &[4]), [0]);
    }

    proptest! {
        #[test]
        fn all_that_is_allowed_is_used_and_no_more(
            limit in 0..30_u32, sizes in prop::collection::vec(0..10_u32, 0..8),
        ) {
            let shares = shares(limit, &sizes);
            prop_assert!(shares.iter().zip(&sizes).all(|(share, size)| share <= size));
            prop_assert_eq!(shares.iter().sum::<u32>(), limit.min(sizes.iter().sum()));
        }
    }
}
